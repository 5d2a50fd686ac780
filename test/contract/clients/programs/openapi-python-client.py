import base64
import json
import os
from uuid import UUID

from gatehouse_client import AuthenticatedClient
from gatehouse_client.api.access import check_entitlement
from gatehouse_client.api.identity import exchange_code, get_profile, revoke_token
from gatehouse_client.api.usage import report_usage
from gatehouse_client.models import (
    Entitlement,
    Profile,
    RevokeRequest,
    Token,
    TokenRequest,
    UsageAnswer,
    UsageReport,
    UsageReportKind,
)

env = os.environ
base_url = env["GATEHOUSE"]
secret = base64.b64encode(f"{env['CLIENT_ID']}:{env['CLIENT_SECRET']}".encode()).decode()

server = AuthenticatedClient(base_url=base_url, token=env["GATEHOUSE_KEY"])
entitlement = check_entitlement.sync(client=server, user_id=UUID(env["USER_ID"]))
assert isinstance(entitlement, Entitlement), entitlement

app = AuthenticatedClient(base_url=base_url, token=secret, prefix="Basic")
asked = TokenRequest(
    grant_type="authorization_code", code=env["CODE"], redirect_uri=env["REDIRECT_URI"]
)
token = exchange_code.sync(client=app, body=asked)
assert isinstance(token, Token), token

person = AuthenticatedClient(base_url=base_url, token=token.access_token)
profile = get_profile.sync(client=person)
assert isinstance(profile, Profile), profile
usage = report_usage.sync(client=person, body=UsageReport(kind=UsageReportKind.ACTIVITY))
assert isinstance(usage, UsageAnswer), usage

revoke_token.sync(client=app, body=RevokeRequest(token=token.access_token))
after = get_profile.sync_detailed(client=person)

print(
    json.dumps(
        {
            "active": entitlement.active,
            "profile": str(profile.id),
            "counted": usage.counted,
            "qualifying": usage.qualifying,
            "status_after_revocation": after.status_code,
        }
    )
)
