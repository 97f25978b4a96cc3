"""An app on Debian's authlib: it knows the issuer, its own id and its secret, and nothing else of the provider."""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode, urlparse

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
state = {}


def configure(issuer, client_id, client_secret):
    discovered = requests.get(issuer + "/.well-known/openid-configuration", timeout=20)
    assert discovered.ok, "%d %s" % (discovered.status_code, discovered.text)
    state["metadata"] = discovered.json()
    assert state["metadata"]["issuer"] == issuer
    state["client"] = OAuth2Session(
        client_id, client_secret, scope="openid email profile", redirect_uri=state["url"] + "/cb", code_challenge_method="S256"
    )
    state.update(nonce=generate_token(), verifier=generate_token(48))


def begin():
    uri, state["state"] = state["client"].create_authorization_url(
        state["metadata"]["authorization_endpoint"], nonce=state["nonce"], code_verifier=state["verifier"]
    )
    return uri


def end(address):
    token = state["client"].fetch_token(
        state["metadata"]["token_endpoint"], authorization_response=address, state=state["state"], code_verifier=state["verifier"]
    )
    keys = JsonWebKey.import_key_set(requests.get(state["metadata"]["jwks_uri"], timeout=10).json())
    claims = jwt.decode(
        token["id_token"],
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"values": [state["metadata"]["issuer"]]}, "aud": {"values": [state["client"].client_id]}},
        claims_params={"nonce": state["nonce"], "client_id": state["client"].client_id, "access_token": token["access_token"]},
    )
    claims.validate()
    info = state["client"].get(state["metadata"]["userinfo_endpoint"]).json()
    assert info["sub"] == claims["sub"]
    state["id_token"] = token["id_token"]
    return info["email"]


def leave():
    query = {"id_token_hint": state["id_token"], "post_logout_redirect_uri": state["url"] + "/bye"}
    return state["metadata"]["end_session_endpoint"] + "?" + urlencode(query)


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        path = urlparse(self.path).path
        try:
            if path == "/cb":
                self.answer(200, "Hello " + end(state["url"] + self.path))
            elif path == "/bye":
                self.answer(200, "Signed out")
            elif path in ("/", "/leave"):
                self.send_response(302)
                self.send_header("location", begin() if path == "/" else leave())
                self.end_headers()
            else:
                self.answer(404, "Nothing here")
        except Exception as error:  # The page shows it, so that the test does.
            self.answer(500, repr(error))

    def answer(self, status, heading):
        body = ("<!doctype html><title>authlib</title><h1>" + heading + "</h1>").encode()
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), App)
state["url"] = "http://127.0.0.1:%d" % server.server_port
print(state["url"], flush=True)
configure(**json.loads(sys.stdin.readline()))
print("ready", flush=True)
server.serve_forever()
