#!/usr/bin/env python3
"""Sets up an application with its user flow by the directory API, and looks after users. Plain HTTP, no packages.

    set-up-tenant.py set-up                      makes application, attribute, user flow and grant, and prints their ids
    set-up-tenant.py find EMAIL                  prints the user, found by $filter on identities
    set-up-tenant.py disable EMAIL
    set-up-tenant.py delete EMAIL

The environment says where: NATIVE_AUTH_SERVER (the listener with /graph, http://127.0.0.1:8765), NATIVE_AUTH_TENANT (contoso),
NATIVE_AUTH_DAEMON and NATIVE_AUTH_SECRET (those of the development tenant). For set-up the daemon needs the roles
Application.ReadWrite.All, IdentityUserFlow.ReadWrite.All, EventListener.ReadWrite.All and
DelegatedPermissionGrant.ReadWrite.All; for users User.ReadWrite.All.
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

SERVER = os.environ.get("NATIVE_AUTH_SERVER", "http://127.0.0.1:8765")
TENANT = os.environ.get("NATIVE_AUTH_TENANT", "contoso")
DAEMON = os.environ.get("NATIVE_AUTH_DAEMON", "44445555-aaaa-6666-bbbb-7777cccc8888")
SECRET = os.environ.get("NATIVE_AUTH_SECRET", "development")
DIRECTORY = "00000003-0000-0000-c000-000000000000"
FLOW = "#microsoft.graph.externalUsersSelfServiceSignUpEventsFlow"


def send(method, url, body=None, headers=None):
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {url}: {error.code} {error.read().decode()}")
    except urllib.error.URLError as error:
        sys.exit(f"{url}: no answer ({error.reason}); is NATIVE_AUTH_SERVER right?")
    return json.loads(text) if text else None


def token():
    form = {
        "grant_type": "client_credentials", "client_id": DAEMON, "client_secret": SECRET,
        "scope": "https://graph.microsoft.com/.default",
    }
    answer = send(
        "POST", f"{SERVER}/{TENANT}/oauth2/v2.0/token", urllib.parse.urlencode(form).encode(),
        {"Content-Type": "application/x-www-form-urlencoded"})
    return answer["access_token"]


class Directory:
    def __init__(self):
        self.headers = {"Authorization": f"Bearer {token()}", "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        return send(method, f"{SERVER}/graph/v1.0/{path}", data, self.headers)

    def list(self, path, **options):
        query = urllib.parse.urlencode({f"${name}": value for name, value in options.items()}, quote_via=urllib.parse.quote)
        return self.call("GET", f"{path}?{query}")["value"]


def set_up(directory):
    there = directory.list("applications", filter="displayName eq 'Harbour app'")
    if there:
        sys.exit(f"Harbour app is there already, with the client id {there[0]['appId']}")
    application = directory.call("POST", "applications", {
        "displayName": "Harbour app", "signInAudience": "AzureADMyOrg", "isFallbackPublicClient": True,
        "nativeAuthenticationApisEnabled": "all",
    })
    client = application["appId"]

    # An attribute belongs to the tenant, and other applications may use it already.
    name = "Loyalty number"
    found = directory.list("identity/userFlowAttributes", filter=f"displayName eq '{name}'")
    loyalty = found[0] if found else directory.call("POST", "identity/userFlowAttributes", {
        "displayName": name, "description": "On the card", "dataType": "string",
    })

    # An input of the form; the server checks the rule.
    def ask(attribute, label, rule=None):
        return {
            "attribute": attribute, "label": label, "inputType": "text", "hidden": False, "editable": True,
            "writeToDirectory": True, "required": True, "validationRegEx": rule,
        }

    inputs = [ask("city", "City"), ask(loyalty["id"], "Loyalty number", "[0-9]{6}")]
    flow = directory.call("POST", "identity/authenticationEventsFlows", {
        "@odata.type": FLOW, "displayName": f"Sign-up of {client}",
        "conditions": {"applications": {"includeApplications": [{"appId": client}]}},
        "onInteractiveAuthFlowStart": {"isSignUpAllowed": True},
        "onAuthenticationMethodLoadStart": {"identityProviders": [{"id": "EmailOtpSignup-OAUTH"}]},
        "onAttributeCollection": {
            "attributes": [{"id": "email"}] + [{"id": item["attribute"]} for item in inputs],
            "attributeCollectionPage": {"views": [{"inputs": inputs}]},
        },
    })

    principal = directory.call("POST", "servicePrincipals", {"appId": client})
    resource = directory.list("servicePrincipals", filter=f"appId eq '{DIRECTORY}'")[0]
    directory.call("POST", "oauth2PermissionGrants", {
        "clientId": principal["id"], "consentType": "AllPrincipals", "resourceId": resource["id"],
        "scope": "openid offline_access User.Read",
    })
    print(f"client-id {client}")
    print(f"user-flow {flow['id']}")
    print(f"attribute {loyalty['id']}")


def find(directory, email):
    name = email.replace("'", "''")
    condition = f"identities/any(c:c/issuerAssignedId eq '{name}' and c/issuer eq 'mail')"
    users = directory.list("users", filter=condition, select="id,mail,city,accountEnabled,identities")
    if not users:
        sys.exit(f"no user signs in as {email}")
    return users[0]


def main(arguments):
    if arguments == ["set-up"]:
        set_up(Directory())
    elif len(arguments) == 2 and arguments[0] in ("find", "disable", "delete"):
        directory = Directory()
        user = find(directory, arguments[1])
        if arguments[0] == "find":
            print(json.dumps(user, indent=2))
        elif arguments[0] == "disable":
            directory.call("PATCH", f"users/{user['id']}", {"accountEnabled": False})
        else:
            directory.call("DELETE", f"users/{user['id']}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
