"""Runs the lines of a page in their two parts, and shows what a person's browser would see: authlib_app.py <file>."""
import json
import os
import sys
from urllib.parse import parse_qsl, urlparse

sys.path.insert(0, os.path.dirname(__file__))
import flask

begin, _, end = open(sys.argv[1], encoding="utf-8").read().partition("# At the redirect URI:\n")
lines = {"app": flask.Flask(), "os": os}
if "import" not in begin:
    begin = "from authlib.integrations.flask_client import OAuth\noauth = OAuth(app)\n" + begin
exec(begin, lines)
oauth = lines["oauth"]
login = lines.get("login", lambda: oauth.tessera.authorize_redirect(os.environ["REDIRECT_URI"]))
print(login().location, flush=True)
flask.request.args = dict(parse_qsl(urlparse(sys.stdin.readline().strip()).query))
# What the page has as a comment, because it stands in another function.
exec(end.replace("#     ", "") or "token = oauth.tessera.authorize_access_token()", lines)
print(json.dumps({"idToken": lines["token"]["id_token"]}), flush=True)
