"""The console in a browser, in the production profile: an owner is invited, signs in with both factors, and does the ten
commonest tasks; then every page is looked at by an accessibility checker, in both colour schemes, by a strict HTML parser, at three
widths, and with each role.

With --pictures DIR, it leaves a picture of each page there."""

import json
import pathlib
import socket
import subprocess
import sys
import time

import browser
import world
from browser import PASSWORD, Fault

WIDTHS = (390, 768, 1440)
SCHEMES = ("light", "dark")
TENANTS = """
tenants:
  - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
    subdomain: contoso
    domain: contoso.example.com
    displayName: Contoso
    applications:
      - {clientId: 00001111-aaaa-2222-bbbb-3333cccc4444, displayName: Contoso app, signIn: emailOneTimePasscode}
      - {clientId: 11112222-bbbb-3333-cccc-4444dddd5555, displayName: Contoso web, signIn: emailPassword}
    daemons:
      - {clientId: 44445555-aaaa-6666-bbbb-7777cccc8888, displayName: Contoso reports, roles: [AuditLog.Read.All, Application.ReadWrite.All]}
  - id: bbbbcccc-0000-dddd-1111-eeee2222ffff
    subdomain: harbour
    domain: harbour.example.com
    displayName: Harbour & Sons <Ltd>
    applications:
      - {clientId: 7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7, displayName: Harbour app, signIn: emailPassword}
"""


class Check(browser.BrowserCheck):
    def __init__(self, options, chromium):
        super().__init__(options, chromium)
        self.port = world.free_port()
        folder = pathlib.Path(options.folder)
        file = folder / "tenants.yaml"
        file.write_text(TENANTS)
        arguments = ["--profile", "production", "--operators", str(self.port), "--config", str(file), "--mail-from", "id@example.com", "--base-url", "https://id.example.com", "--trusted-proxies", "127.0.0.1"]
        self.site = world.Site(options, arguments=arguments, environment={})
        self.url = f"http://127.0.0.1:{self.port}"

    def command(self, *arguments):
        place = ["--data", str(self.site.nodes[0].folder), "--master-key-file", str(self.site.key)]
        done = subprocess.run([self.site.binary, *arguments, *place], capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"native-auth {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    # A visitor

    def accept_invitation(self, page, secret, address, name):
        page.goto(f"{self.url}/console/invitation")
        page.fill("#secret", secret)
        page.fill("#email", address)
        page.fill("#name", name)
        page.fill("#password", PASSWORD)
        seen = self.site.mailbox.seen(address)
        page.click("button.primary")
        self.enter_code(page, address, seen)

    def enter_code(self, page, address, seen):
        code = self.site.mailbox.code(address, seen, 10)
        if not code:
            raise Fault(f"no code came to {address}; the page says: {page.inner_text('main')[:500]}; log: {self.site.nodes[0].log.read_text()[-1500:]}")
        page.fill("#code", code)
        page.click("button.primary")

    def sign_in(self, page, address):
        page.goto(f"{self.url}/console/sign-in")
        page.fill("#email", address)
        page.fill("#password", PASSWORD)
        seen = self.site.mailbox.seen(address)
        page.click("button.primary")
        self.enter_code(page, address, seen)

    # The tasks

    def tasks(self):
        owner = self.visitor()
        secret = self.command("operator", "invite", "--role", "owner").strip()
        self.accept_invitation(owner, secret, "owner@example.com", "Olga Owner")
        owner.wait_for_selector("h1:text('Overview')")
        self.expect("the first owner is invited, proves both factors and sees the overview", True)
        owner.goto(f"{self.url}/console/invitation")
        owner.fill("#secret", secret)
        for field, value in (("#email", "late@example.com"), ("#name", "Late"), ("#password", PASSWORD)):
            owner.fill(field, value)
        owner.click("button.primary")
        self.expect("an invitation works once", "not right, was used" in owner.inner_text("main"))

        users = f"{self.url}/console/t/contoso/users"
        # 1. Create a user.
        for number, (name, app) in enumerate([("Dana Reed", "00001111"), ("Kim Park", "11112222"), ("<b>Bobby</b> & \"Co\"", "00001111")]):
            owner.goto(f"{self.url}/console/t/contoso/users")
            owner.click("text=New user")
            owner.fill("#email", f"user{number}@example.com")
            owner.fill("#a-displayName", name)
            owner.select_option("#application", owner.locator(f"#application option[value^='{app}']").get_attribute("value"))
            owner.click("button.primary")
            self.expect(f"create a user: {name}", "was created" in owner.inner_text(".note.good"), owner.url)
        person = world.Person(self.site, seed=1)
        for number in range(4):
            person.sign_up(f"signup{number}@example.com")
        # 2. Find a user while typing.
        owner.goto(users)
        owner.type("#q", "dana", delay=20)
        self.wait(lambda: owner.locator("#results tbody tr").count() == 1)
        self.expect("a search as one types finds the user", "user0@example.com" in owner.inner_text("#results"))
        self.expect("the search says how many", "1 user" in owner.inner_text("#status"), owner.inner_text("#status"))
        self.expect("the address bar has the search", "q=dana" in owner.url, owner.url)
        # 3. Edit.
        owner.click("text=user0@example.com")
        owner.click("text=Edit")
        owner.fill("#a-jobTitle", "Pilot")
        owner.click("button.primary")
        self.expect("edit a user", "Pilot" in owner.inner_text("main") and "saved" in owner.inner_text(".note.good"))
        owner.click("text=Edit")
        owner.fill("#email", "no address")
        owner.evaluate("document.querySelector('main form').noValidate = true")
        owner.click("button.primary")
        self.expect("a wrong value is refused with a sentence", "valid e-mail address" in owner.inner_text(".note.bad"))
        self.expect("what was typed stays", owner.input_value("#email") == "no address")
        # 4 to 6. Disable, enable, end sessions, reset.
        owner.goto(f"{users}?q=user1")
        owner.click("text=user1@example.com")
        for deed, button, sentence in (
            ("Disable", "Disable", "is disabled"), ("Enable", "Enable", "can sign in again"),
            ("End all sessions", "End all sessions", "have ended"), ("Reset the password", "Reset the password", "new password")):
            owner.click(f"aside >> text='{deed}'")
            owner.click(f"main form button:text('{button}')")
            self.expect(deed, sentence in owner.inner_text(".note.good"), owner.inner_text("main")[:200])
        # 7. Delete with the address typed, restore.
        owner.click("aside >> text='Delete'")
        owner.fill("#typed", "another@example.com")
        owner.click("main form button.danger")
        self.expect("another address does not delete", "does not match" in owner.inner_text(".note.bad"))
        owner.fill("#typed", "user1@example.com")
        owner.click("main form button.danger")
        self.expect("delete", "can be restored" in owner.inner_text(".note.good"))
        owner.goto(f"{users}?state=deleted")
        owner.click("text=user1@example.com")
        owner.click("aside >> text='Restore'")
        owner.click("main form button.primary")
        self.expect("restore", "was restored" in owner.inner_text(".note.good"))
        # 8. Events: filter, follow, check, export.
        owner.goto(f"{self.url}/console/t/contoso/events")
        owner.select_option("#kind", "account.disabled")
        self.wait(lambda: owner.locator("#results tbody tr").count() == 1)
        owner.fill("#user", "user1@example.com")
        self.wait(lambda: "user=user1" in owner.evaluate("location.search"))
        self.expect("a filter of events", "owner@example.com" in owner.inner_text("#results"), owner.inner_text("#results"))
        owner.goto(f"{self.url}/console/t/contoso/events")
        owner.check("#follow")
        before = owner.inner_text("#results tbody tr >> nth=0")
        person.sign_up("followed@example.com")
        self.wait(lambda: owner.inner_text("#results tbody tr >> nth=0") != before)
        self.expect("events come while one follows", "signup.completed" in owner.inner_text("#results tbody"))
        # The sealer comes once a second.
        time.sleep(1.5)
        owner.goto(f"{self.url}/console/t/contoso/events")
        owner.click("text='Check the trail'")
        self.expect("the chain is checked", "is sound" in owner.inner_text(".note.good"), owner.inner_text("main")[:300])
        with owner.expect_download() as download:
            owner.click("text='Export'")
        lines = pathlib.Path(download.value.path()).read_text().splitlines()
        self.expect("events are exported", len(lines) > 10 and '"activityDisplayName"' in lines[0], str(len(lines)))
        # 9. Invite others, change a role, remove one.
        self.others = {}
        for role in ("admin", "support", "auditor"):
            owner.goto(f"{self.url}/console/operators")
            owner.check(f"input[value={role}]")
            owner.click("text='Make an invitation'")
            secret = owner.inner_text("#secret")
            self.expect("the invitation is listed", "Withdraw" in owner.inner_text("main"))
            page = self.visitor()
            self.accept_invitation(page, secret, f"{role}@example.com", role.title())
            page.wait_for_selector("h1:text('Overview')")
            self.expect(f"{role} is invited from the console", role.title() in page.inner_text(".who"))
            self.others[role] = page
        owner.goto(f"{self.url}/console/operators")
        row = owner.locator("tr", has_text="owner@example.com")
        row.locator("select").select_option("support")
        row.locator("button").click()
        self.expect("the last owner stays", "last owner" in owner.inner_text(".note.bad"))
        # 10. A new signing key.
        owner.goto(f"{self.url}/console/server")
        owner.click("text='New key' >> nth=0")
        owner.click("main form button.primary")
        self.expect("a new key is published", "Next" in owner.inner_text("main"))
        with owner.expect_download() as download:
            owner.goto(f"{users}?q=user0")
            owner.click("text=user0@example.com")
            owner.click("aside >> text='Copy of all data'")
        # What the pages say of applications is the tenants' document, and they change it.
        owner.goto(f"{self.url}/console/t/contoso/applications")
        owner.click("text='New application'")
        owner.fill("#name", "Boats")
        owner.check("input[value=emailPassword]")
        owner.check("input[name=r-city]")
        owner.click("button.primary")
        self.expect("an application is created", "was created" in owner.inner_text(".note.good"), owner.inner_text("main")[:300])
        boats = owner.inner_text("#client")
        self.expect("its rules count at once", self.needs_city(boats))
        owner.click("text='Edit'")
        owner.fill("#scopes", "nonsense")
        owner.click("button.primary")
        self.expect("the rules of the tenant file hold", "scope" in owner.inner_text(".note.bad").lower(), owner.inner_text("main")[:300])
        # A group with a user in it.
        owner.goto(f"{self.url}/console/t/contoso/groups")
        owner.fill("#name", "Sailors")
        owner.click("main form button.primary")
        self.expect("a group is created", "was created" in owner.inner_text(".note.good"))
        self.group = owner.url.split("?")[0].removeprefix(self.url)
        owner.fill("#email", "user0@example.com")
        owner.click("text='Add to the group'")
        self.expect("a user is in the group", "user0@example.com" in owner.inner_text("main table"), owner.inner_text("main")[:300])
        # A role of that application, for the group.
        owner.goto(f"{self.url}/console/t/contoso/applications/{boats}")
        owner.click("text='New role'")
        owner.fill("#value", "Boats.Sail")
        owner.fill("#name", "May sail")
        owner.check("input[name=users]")
        owner.check("input[name^='g-']")
        owner.check("input[name=enabled]")
        owner.click("main form button.primary")
        self.expect("a role is created", "Sailors" in owner.inner_text("#main"), owner.inner_text("main")[:300])
        # A user flow with an attribute of the tenant, for that application.
        owner.goto(f"{self.url}/console/t/contoso/user-flows")
        owner.click("text='New attribute'")
        owner.fill("#name", "Boat number")
        owner.select_option("#type", "integer")
        owner.click("main form button.primary")
        self.expect("an attribute is created", "was created" in owner.inner_text(".note.good"))
        owner.click("text='New user flow'")
        owner.fill("#name", "Sailors")
        owner.check("input[value=emailPassword]")
        owner.check("input[name=open]")
        owner.select_option("select[name^='u-extension']", "required")
        owner.click("main form button.primary")
        self.expect("a user flow is created", "was created" in owner.inner_text(".note.good"), owner.inner_text("main")[:300])
        self.flow = owner.url.split("?")[0].removeprefix(self.url)
        owner.goto(f"{self.url}/console/t/contoso/applications/{boats}/edit")
        owner.select_option("#flow", label="Sailors")
        self.expect("with a flow, the form hides the application's own rules", not owner.is_visible("input[value=emailPassword]"))
        owner.click("main form button.primary")
        self.expect("an application gets the flow", "Sailors" in owner.inner_text("main"), owner.inner_text("main")[:300])
        self.expect("its sign-up asks for the flow's attribute", self.asks(boats, "ship@example.com", "_Boatnumber"))
        # It becomes an application of the web, with a secret.
        owner.goto(f"{self.url}/console/t/contoso/applications/{boats}/edit")
        owner.fill("#redirects-web", "http://boats.example.com/done")
        owner.click("main form button.primary")
        self.expect("the rules of addresses hold", "http is for this machine only" in owner.inner_text(".note.bad"), owner.inner_text("main")[:300])
        owner.fill("#redirects-web", "https://boats.example.com/done")
        owner.fill("#homepage", "https://boats.example.com/")
        owner.click("main form button.primary")
        self.expect("an application has an address of a server", "https://boats.example.com/done" in owner.inner_text("main"), owner.inner_text("main")[:300])
        owner.fill("#name", "First")
        owner.click("text='Make a secret'")
        self.expect("an application's secret is shown", len(owner.inner_text("#new-secret")) == 43)
        owner.goto(f"{self.url}/console/t/contoso/applications/{boats}/edit")
        owner.uncheck("input[name=pkce]")
        owner.click("main form button.primary")
        self.expect("a confidential application has a choice", "not required" in owner.inner_text("main"), owner.inner_text("main")[:300])
        owner.goto(f"{self.url}/console/t/contoso/applications/{boats}/delete")
        owner.fill("#typed", "Boats")
        owner.click("main form button.danger")
        self.expect("an application is deleted", "was deleted" in owner.inner_text(".note.good"))
        owner.click("text='Contoso reports'")
        owner.fill("#name", "Night")
        owner.click("text='Make a secret'")
        secret = owner.inner_text("#new-secret")
        self.expect("a daemon's new secret works at once", self.daemon_token(secret) == 200)
        self.expect("the daemon makes an application in the same document", self.application_of_daemon(secret) == 201)
        owner.goto(f"{self.url}/console/t/contoso/applications")
        self.expect("the console shows it", "Made by a script" in owner.inner_text("main"))
        owner.click("text='Contoso reports'")
        owner.click("text='Remove'")
        owner.click("main form button.danger")
        self.expect("a removed secret does not", self.daemon_token(secret) == 401)
        versions = self.command("tenant", "versions")
        self.expect("each change is a version of the document", versions.count("\n") >= 4, versions)
        self.expect("a copy of a user's data", b"Pilot" in pathlib.Path(download.value.path()).read_bytes())
        self.owner = owner

    def application_of_daemon(self, secret):
        headers = {"Authorization": f"Bearer {self.daemon_answer(secret).body['access_token']}", "Content-Type": "application/json"}
        body = json.dumps({"displayName": "Made by a script", "isFallbackPublicClient": True})
        return world.ask(self.port, "POST", "/graph/v1.0/applications", body, headers).status

    def daemon_token(self, secret):
        return self.daemon_answer(secret).status

    def daemon_answer(self, secret):
        form = {"grant_type": "client_credentials", "client_id": "44445555-aaaa-6666-bbbb-7777cccc8888", "client_secret": secret}
        form["scope"] = "https://graph.microsoft.com/.default"
        return world.ask(self.port, "POST", "/contoso/oauth2/v2.0/token", form)

    def needs_city(self, client):
        """Whether a sign-up with this application asks for the city."""
        return self.asks(client, "sailor@example.com", "city")

    def asks(self, client, email, ending):
        """Whether a sign-up asks for one attribute, whose name ends so."""
        person = world.Person(self.site, client=client, seed=len(email))
        token, code = person.begin(email, PASSWORD)
        answer = person.post("signup/v1.0/continue", {"continuation_token": token, "grant_type": "oob", "oob": code})
        names = [attribute["name"] for attribute in answer.body.get("required_attributes", [])]
        return len(names) == 1 and names[0].endswith(ending)

    def without_script(self):
        page = self.visitor(script=False)
        self.sign_in(page, "owner@example.com")
        page.goto(f"{self.url}/console/t/contoso/users")
        page.fill("#q", "kim")
        page.click("form.filters button")
        self.expect("a search without script", page.locator("#results tbody tr").count() == 1)
        page.goto(f"{self.url}/console/t/contoso")
        page.select_option("#tenant", "harbour")
        page.click("form.tenant button")
        self.expect("another tenant without script", "/t/harbour" in page.url and "Harbour & Sons <Ltd>" in page.content().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        page.click("text='Sign out'")
        page.goto(f"{self.url}/console/t/contoso/users")
        self.expect("after the sign-out, the sign-in page", "/console/sign-in" in page.url, page.url)
        page.context.close()

    # Every page

    def pages(self):
        base = f"{self.url}/console/t/contoso"
        self.owner.goto(f"{base}/users?q=user0")
        user = self.owner.locator("#results tbody a").first.get_attribute("href")
        self.owner.goto(f"{base}/users?q=user2")
        other = self.owner.locator("#results tbody a").first.get_attribute("href")
        paths = {
            "overview": "/console/t/contoso", "overview-hour": "/console/t/contoso?span=hour", "overview-month": "/console/t/contoso?span=month",
            "users": "/console/t/contoso/users", "users-none": "/console/t/contoso/users?q=nothing%26%3Cb%3E",
            "new-user": "/console/t/contoso/new-user", "user": user, "user-markup": other, "edit-user": f"{user}/edit",
            "look-disable": f"{user}/disable", "look-end-sessions": f"{user}/end-sessions", "look-delete": f"{user}/delete",
            "applications": "/console/t/contoso/applications",
            "application": "/console/t/contoso/applications/11112222-bbbb-3333-cccc-4444dddd5555",
            "daemon": "/console/t/contoso/applications/44445555-aaaa-6666-bbbb-7777cccc8888",
            "new-application": "/console/t/contoso/new-application",
            "edit-application": "/console/t/contoso/applications/11112222-bbbb-3333-cccc-4444dddd5555/edit",
            "new-role": "/console/t/contoso/applications/11112222-bbbb-3333-cccc-4444dddd5555/new-role",
            "requests": "/console/t/contoso/requests",
            "groups": "/console/t/contoso/groups", "group": self.group, "delete-group": f"{self.group}/delete",
            "user-flows": "/console/t/contoso/user-flows", "new-user-flow": "/console/t/contoso/new-user-flow",
            "user-flow": self.flow, "edit-user-flow": f"{self.flow}/edit", "delete-user-flow": f"{self.flow}/delete",
            "new-attribute": "/console/t/contoso/new-attribute",
            "pages": "/console/t/contoso/pages", "mails": "/console/t/contoso/mails", "mails-ja": "/console/t/contoso/mails?language=ja",
            "events": "/console/t/contoso/events", "events-none": "/console/t/contoso/events?kind=key.revoked",
            "operators": "/console/operators", "server": "/console/server", "new-key": "/console/t/contoso/new-key",
            "not-found": "/console/t/nowhere/users",
        }
        gates = {"sign-in": "/console/sign-in", "invitation": "/console/invitation"}
        cookies = self.owner.context.cookies()
        for scheme in SCHEMES:
            page = self.visitor(scheme)
            page.context.add_cookies(cookies)
            for name, path in (paths | gates).items():
                answer = page.goto(self.url + path)
                self.expect(f"{name} answers", answer.status == (404 if name == "not-found" else 200), str(answer.status))
                if scheme == "light":
                    self.strict(name, answer.text())
                    self.expect(f"{name} has no escaped markup", "&lt;" not in answer.text().replace("&lt;b&gt;", "").replace("&lt;/b&gt;", "").replace("&lt;Ltd&gt;", "") and "=&quot;" not in answer.text())
                    policy = answer.headers.get("content-security-policy", "")
                    self.expect(f"{name} has the policy", "default-src 'none'" in policy and "unsafe" not in policy)
                self.accessible(f"{name}, {scheme}", page)
                for width in WIDTHS + ((320,) if scheme == "light" else ()):
                    page.set_viewport_size({"width": width, "height": 900})
                    self.fits(name, page)
                    if self.options.pictures and width != 320:
                        page.screenshot(path=f"{self.options.pictures}/{name}-{scheme}-{width}.png", full_page=True)
            page.context.close()

    def roles(self):
        """What each role sees, and what the server refuses when the link is typed by hand."""
        user = self.user_path("user2")
        forbidden = {
            "auditor": ["disable", "reset", "end-sessions", "delete", "edit", "copy"],
            "support": ["delete", "edit", "copy"],
            "admin": [],
        }
        for role, page in self.others.items():
            page.goto(self.url + user)
            if "sign-in" in page.url:
                raise Fault(f"the session of {role} has ended")
            text = page.inner_text("aside")
            for action in ("disable", "reset", "end-sessions", "delete", "edit", "copy"):
                answer = page.request.get(f"{self.url}{user}/{action}", max_redirects=0)
                refused = action in forbidden[role]
                self.expect(f"{role}: {action}", (answer.status == 403) == refused, str(answer.status))
            for path in ("/console/operators", "/console/t/contoso/new-key"):
                answer = page.request.get(self.url + path, max_redirects=0)
                self.expect(f"{role}: {path}", answer.status == 403, str(answer.status))
            self.expect(f"{role} sees only what is allowed", ("Delete" in text) == (role == "admin"), text)
        # The role counts from the next request on.
        self.owner.goto(f"{self.url}/console/operators")
        row = self.owner.locator("tr", has_text="support@example.com")
        row.locator("select").select_option("auditor")
        row.locator("button").click()
        answer = self.others["support"].request.get(f"{self.url}{user}/disable", max_redirects=0)
        self.expect("a lesser role counts at once", answer.status == 403, str(answer.status))
        slow = self.slow_post(self.others["auditor"], "/console/sign-out")
        self.owner.goto(f"{self.url}/console/operators")
        row = self.owner.locator("tr", has_text="auditor@example.com").first
        row.locator("a").click()
        self.owner.click("main form button.danger")
        self.expect("a body that comes late has the rights of then", slow() == 303)
        answer = self.others["auditor"].request.get(f"{self.url}/console/t/contoso/users", max_redirects=0)
        self.expect("a removed operator is signed out", answer.status == 303 and "sign-in" in answer.headers["location"])

    def slow_post(self, page, path):
        """Sends the beginning of a request; what it returns sends the rest, and returns the status."""
        cookie = next(one["value"] for one in page.context.cookies() if one["name"] == "console")
        connection = socket.create_connection(("127.0.0.1", self.port))
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: console={cookie}\r\nContent-Length: 6\r\n"
        connection.sendall(f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\nfor".encode())

        def end():
            connection.sendall(b"m=x")
            return int(connection.recv(64).split()[1])

        return end

    def user_path(self, name):
        self.owner.goto(f"{self.url}/console/t/contoso/users?q={name}")
        return self.owner.locator("#results tbody a").first.get_attribute("href")


def main(arguments):
    return browser.main("scripts/check-console", arguments, Check, lambda check: (check.tasks, check.without_script, check.pages, check.roles))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
