"""A collector of OpenTelemetry on a loopback port, which it prints as `PORT n`: collector.py FILE.

Checks each request against the rules of OTLP/HTTP in JSON and writes each span as a line of JSON to FILE; a fault is a line that begins with
FAULT. Answers 503 to the first request, so that the sender has to come again. Ends when its input does.
"""

import http.server
import json
import pathlib
import re
import sys
import threading

file = open(sys.argv[1], "a", buffering=1)
seen = 0

MEMBERS = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"}
VALUES = {"stringValue": str, "intValue": str, "doubleValue": (int, float), "boolValue": bool}


def attributes(members):
    """The attributes by name, each with one value of a known kind."""
    found = {}
    for member in members:
        assert set(member) == {"key", "value"} and len(member["value"]) == 1, member
        (kind, value), = member["value"].items()
        assert isinstance(value, VALUES[kind]), member
        found[member["key"]] = int(value) if kind == "intValue" else value
    return found


def spans(request):
    assert set(request) == {"resourceSpans"}
    for group in request["resourceSpans"]:
        resource = attributes(group["resource"]["attributes"])
        assert resource["service.name"] == "native-auth" and resource["service.version"], resource
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                assert set(span) <= MEMBERS and re.fullmatch("[0-9a-f]{32}", span["traceId"]) and re.fullmatch("[0-9a-f]{16}", span["spanId"]), span
                assert span["kind"] in range(1, 6) and 0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), span
                yield {**span, "attributes": attributes(span["attributes"])}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global seen
        seen += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if seen > 1:
            try:
                assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
                for span in spans(json.loads(body)):
                    file.write(json.dumps(span) + "\n")
            except Exception as fault:
                file.write(f"FAULT {fault!r}\n")
        self.send_response(503 if seen == 1 else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path(sys.argv[1]).touch()
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"PORT {server.server_address[1]}", flush=True)
sys.stdin.read()
