"""Asks Tessera what a user may do, over gRPC. Needs grpcio, and the messages by protoc:

    protoc -I "$PROTO_DIR" --python_out=. rbac/v1/authorization.proto
"""

import json
import os
import time
import urllib.request

import grpc

from rbac.v1 import authorization_pb2 as rbac

ENV = os.environ


class Token:
    """The access token lives for 15 minutes; a new one is fetched a minute before its end."""

    value, ends_at = "", 0.0

    def get(self) -> str:
        if time.time() < self.ends_at - 60:
            return self.value
        tenant, _, scope_id = ENV["TESSERA_SCOPE"].partition(":")
        body = {
            "clientId": ENV["TESSERA_CLIENT_ID"],
            "clientSecret": ENV["TESSERA_CLIENT_SECRET"],
            "scope": {"tenant": tenant, "id": scope_id},
        }
        request = urllib.request.Request(
            ENV["TESSERA_URL"] + "/api/auth/token", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=5) as response:
            data = json.load(response)["data"]
        self.value, self.ends_at = data["accessToken"], time.time() + data["expiresIn"]
        return self.value


TOKEN = Token()


def connect() -> grpc.Channel:
    if "TESSERA_CA" not in ENV:
        return grpc.insecure_channel(ENV["TESSERA_GRPC"])
    with open(ENV["TESSERA_CA"], "rb") as ca:
        return grpc.secure_channel(ENV["TESSERA_GRPC"], grpc.ssl_channel_credentials(ca.read()))


def main() -> None:
    with connect() as channel:

        def call(method, request, answer):
            # With grpcio-tools this is AuthorizationStub(channel).IsAuthorized.
            path = f"/rbac.v1.Authorization/{method}"
            ask = channel.unary_unary(path, type(request).SerializeToString, answer.FromString)
            return ask(request, timeout=2, metadata=[("authorization", f"Bearer {TOKEN.get()}")])

        # 1. What may this user do? The user's own access token says who it is, and Tessera verifies it.
        check = rbac.Check(user_token=ENV["USER_TOKEN"], resource="Role", action="Query")
        one = call("IsAuthorized", check, rbac.Decision)
        print("user token:", str(one.authorized).lower(), one.reason)

        # 2. Up to 1,000 questions at once, here about a user by id. It takes Decision:Evaluate.
        subject = rbac.Subject(type="user", user_id=ENV["USER_ID"])
        checks = [rbac.Check(subject=subject, resource="Role", action=action) for action in ("Query", "Create")]
        many = call("IsAuthorizedMany", rbac.CheckMany(checks=checks), rbac.DecisionMany)
        print("by name:", *(str(decision.authorized).lower() for decision in many.decisions))

        # 3. A refusal of the call itself is an error with a status, never a decision.
        try:
            scope = rbac.Scope(tenant="organization", id=ENV["USER_ID"])
            own = rbac.Subject(type="self")
            call("IsAuthorized", rbac.Check(subject=own, scope=scope, resource="Role", action="Query"), rbac.Decision)
        except grpc.RpcError as error:
            print("elsewhere:", error.code().name)


main()
