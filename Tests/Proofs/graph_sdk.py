"""The directory of this server, called by the vendor's own SDK for Python.

Only the base URL is ours. `scripts/setup graph-sdk` installs the SDK into .build/graph-sdk: 400 MB, so CI does not run this."""

import argparse
import asyncio
import http.client
import json
import sys
import urllib.parse

import measurements
import steps

DAEMON = {"client_id": "44445555-aaaa-6666-bbbb-7777cccc8888", "client_secret": "development"}
TENANT = "contoso.onmicrosoft.com"
PASSWORD = "Tulip-Harbour-42"


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/prove graph-sdk")
    parser.add_argument("--binary", required=True, help="a server that is built already")
    options = parser.parse_args(arguments)
    server = measurements.Server(options.binary, *steps.SETTINGS)
    try:
        return asyncio.run(Calls(server).run())
    finally:
        server.stop()


class Credential:
    """Gets a token once; the SDK asks for `{scheme}://{host}/.default`, without the port, or for nothing."""

    def __init__(self, token):
        self.token = token

    def get_token(self, *scopes, **_):
        from azure.core.credentials import AccessToken

        return AccessToken(self.token(scopes), 4_000_000_000)

    def close(self):
        pass


class Calls:
    def __init__(self, server):
        self.server, self.count = server, 0

    def form(self, path, fields):
        connection = http.client.HTTPConnection(self.server.address)
        connection.request("POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            sys.exit(f"scripts/prove: {path} answered {answer.status}: {body}")
        return body

    def daemon_token(self, scopes):
        scope = scopes[0] if scopes else f"http://{self.server.address.split(':')[0]}/.default"
        return self.form("/contoso/oauth2/v2.0/token", DAEMON | {"grant_type": "client_credentials", "scope": scope})["access_token"]

    def client(self, token):
        from kiota_authentication_azure.azure_identity_authentication_provider import AzureIdentityAuthenticationProvider
        from msgraph import GraphRequestAdapter, GraphServiceClient

        adapter = GraphRequestAdapter(AzureIdentityAuthenticationProvider(Credential(token), allowed_hosts=["127.0.0.1"]))
        adapter.base_url = f"http://{self.server.address}/graph/v1.0"
        return GraphServiceClient(request_adapter=adapter)

    def expect(self, what, holds):
        self.count += 1
        if not holds:
            sys.exit(f"scripts/prove: {what}: not so")
        print(f"  {what}", flush=True)

    async def run(self):
        graph = self.client(self.daemon_token)
        await self.operator(graph)
        await self.user()
        print(f"graph-sdk  {self.count} calls and checks  passed")
        return 0

    async def operator(self, graph):
        from kiota_abstractions.base_request_configuration import RequestConfiguration
        from msgraph.generated.audit_logs.directory_audits.directory_audits_request_builder import DirectoryAuditsRequestBuilder
        from msgraph.generated.models.email_authentication_method import EmailAuthenticationMethod
        from msgraph.generated.models.o_data_errors.o_data_error import ODataError
        from msgraph.generated.models.object_identity import ObjectIdentity
        from msgraph.generated.models.password_authentication_method import PasswordAuthenticationMethod
        from msgraph.generated.models.password_profile import PasswordProfile
        from msgraph.generated.models.user import User
        from msgraph.generated.users.count.count_request_builder import CountRequestBuilder
        from msgraph.generated.users.users_request_builder import UsersRequestBuilder
        from msgraph_core.requests.batch_request_content import BatchRequestContent
        from msgraph_core.requests.batch_request_item import BatchRequestItem
        from msgraph_core.requests.batch_request_builder import BatchRequestBuilder
        from msgraph_core.tasks import PageIterator

        def users(**query):
            configuration = RequestConfiguration(query_parameters=UsersRequestBuilder.UsersRequestBuilderGetQueryParameters(**query))
            configuration.headers.add("ConsistencyLevel", "eventual")
            return configuration

        organization = (await graph.organization.get()).value[0]
        self.expect("organization.get", any(domain.name == TENANT for domain in organization.verified_domains))
        made = []
        for number in range(5):
            name = f"person{number}@example.com"
            identity = ObjectIdentity(sign_in_type="federated", issuer="mail", issuer_assigned_id=name)
            made.append(await graph.users.post(User(display_name=f"Person {number}", identities=[identity])))
        self.expect("users.post, with codes", all(user.id and user.mail for user in made))
        with_password = await graph.users.post(
            User(
                display_name="Dana", mail="dana@example.com", password_policies="DisablePasswordExpiration",
                identities=[
                    ObjectIdentity(sign_in_type="emailAddress", issuer=TENANT, issuer_assigned_id="dana@example.com"),
                    ObjectIdentity(sign_in_type="userName", issuer=TENANT, issuer_assigned_id="dana"),
                ],
                password_profile=PasswordProfile(password=PASSWORD, force_change_password_next_sign_in=False),
            )
        )
        self.expect("users.post, with a password", with_password.display_name == "Dana")
        page = await graph.users.get(users(top=2, count=True, select=["id", "displayName", "identities", "createdDateTime"]))
        self.expect("users.get with $top, $count and $select", page.odata_count == 6 and len(page.value) == 2)
        seen = []
        await PageIterator(page, graph.request_adapter).iterate(lambda user: seen.append(user.id) or True)
        self.expect("PageIterator over @odata.nextLink", len(set(seen)) == 6)
        filter = f"identities/any(c:c/issuerAssignedId eq 'dana@example.com' and c/issuer eq '{TENANT}')"
        found = await graph.users.get(users(filter=filter))
        self.expect("users.get with $filter on identities", [user.id for user in found.value] == [with_password.id])
        found = await graph.users.get(users(search='"displayName:Person"', orderby=["createdDateTime desc"]))
        self.expect("users.get with $search and $orderby", [user.display_name for user in found.value][:2] == ["Person 4", "Person 3"])
        counting = RequestConfiguration(query_parameters=CountRequestBuilder.CountRequestBuilderGetQueryParameters())
        counting.headers.add("ConsistencyLevel", "eventual")
        self.expect("users.count.get", await graph.users.count.get(counting) == 6)
        dana = graph.users.by_user_id(with_password.id)
        await dana.patch(User(given_name="Dana", city="Aarhus"))
        self.expect("patch, then get", (await dana.get()).given_name == "Dana")
        methods = (await dana.authentication.methods.get()).value
        self.expect("authentication.methods.get, typed", any(isinstance(method, PasswordAuthenticationMethod) for method in methods))
        self.expect("email_methods.get", all(
            isinstance(method, EmailAuthenticationMethod) for method in (await dana.authentication.email_methods.get()).value))
        self.expect("revoke_sign_in_sessions.post", (await dana.revoke_sign_in_sessions.post()).value is True)
        for call, code in [
            (graph.users.by_user_id("11111111-2222-3333-4444-555555555555").get(), "Request_ResourceNotFound"),
            (dana.patch(User(password_profile=PasswordProfile(password=PASSWORD))), "Authorization_RequestDenied"),
            (graph.users.get(users(filter="ageGroup eq 'Adult'")), "Request_UnsupportedQuery"),
            (graph.groups.get(), "notSupported"),
        ]:
            try:
                await call
                error = None
            except ODataError as failure:
                error = failure.error
            self.expect(f"an ODataError with {code}", error and error.code == code and error.inner_error.request_id)
        await dana.delete()
        deleted = (await graph.directory.deleted_items.graph_user.get()).value
        self.expect("delete, then deleted_items.graph_user.get", [user.id for user in deleted] == [with_password.id])
        await graph.directory.deleted_items.by_directory_object_id(with_password.id).restore.post()
        self.expect("restore.post", (await dana.get()).id == with_password.id)
        applications = (await graph.applications.get()).value
        daemon = await graph.applications_with_app_id(DAEMON["client_id"]).get()
        self.expect("applications.get, and by appId", daemon.id in [application.id for application in applications])
        self.expect("… with the ends of secrets", daemon.password_credentials[0].end_date_time)
        sign_ins = (await graph.audit_logs.sign_ins.get()).value
        self.expect("audit_logs.sign_ins.get", sign_ins and sign_ins[0].status.error_code == 0 and sign_ins[0].created_date_time)
        requests = [
            BatchRequestItem(graph.users.to_post_request_information(
                User(display_name="Batch", identities=[ObjectIdentity(sign_in_type="federated", issuer="mail", issuer_assigned_id="batch@example.com")]))),
            BatchRequestItem(graph.users.to_get_request_information(users(filter="mail eq 'batch@example.com'"))),
            BatchRequestItem(graph.users.by_user_id("11111111-2222-3333-4444-555555555555").to_get_request_information()),
        ]
        content = BatchRequestContent({item.id: item for item in requests})
        answers = await BatchRequestBuilder(graph.request_adapter).post(content)
        statuses = [answers.get_response_by_id(item.id).status for item in requests]
        self.expect("batch of three", statuses == [201, 200, 404])
        query = DirectoryAuditsRequestBuilder.DirectoryAuditsRequestBuilderGetQueryParameters(
            filter=f"targetResources/any(t:t/id eq '{with_password.id}')", top=3)
        audits = (await graph.audit_logs.directory_audits.get(RequestConfiguration(query_parameters=query))).value
        self.expect("audit_logs.directory_audits.get", [audit.activity_display_name for audit in audits][:1] == ["account.restored"])
        self.expect("… with who did it", audits[0].initiated_by.app.app_id == DAEMON["client_id"])

    async def user(self):
        """The same SDK for the user's own account."""
        from msgraph.generated.models.user import User

        app, last = steps.App(self.server.address, lambda *_: None), {}
        for journey in (app.sign_up("member@example.com"), app.sign_in("member@example.com")):
            for last in journey:
                pass
        fields = {"grant_type": "refresh_token", "refresh_token": last["refresh_token"], "scope": "openid offline_access User.ReadWrite"}
        token = app.step("refresh", "oauth2/v2.0/token", steps.CODE_APP, fields)["access_token"]
        graph = self.client(lambda _: token)
        self.expect("me.get", (await graph.me.get()).mail == "member@example.com")
        await graph.me.patch(User(city="Ribe"))
        self.expect("me.patch", (await graph.me.get()).id)
        self.expect("me.revoke_sign_in_sessions.post", (await graph.me.revoke_sign_in_sessions.post()).value is True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
