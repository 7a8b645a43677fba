"""Makes a client of the description of the interface with openapi-python-client, and uses it:
rest_client.py ADDRESS FOLDER"""

import json
import pathlib
import subprocess
import sys
import urllib.request

address, folder = sys.argv[1], pathlib.Path(sys.argv[2])
described = folder / "openapi.json"
described.write_bytes(urllib.request.urlopen(f"{address}/openapi.json").read())
assert json.loads(described.read_text())["openapi"] == "3.1.0"
generator = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
made = ["--path", str(described), "--output-path", str(folder / "weir_client")]
subprocess.run(generator + made, check=True, capture_output=True)
sys.path.insert(0, str(folder))

from weir_client import Client  # noqa: E402
from weir_client.api.asking import ask  # noqa: E402
from weir_client.api.memory import transcript  # noqa: E402
from weir_client.api.sessions import list_  # noqa: E402
from weir_client.api.talk import hear  # noqa: E402
from weir_client.models import Asked, Said, Talk  # noqa: E402

client = Client(base_url=address)
said = Said(text="The spare key is under the fern.", speaker="Ana")
heard = hear.sync("garden", client=client, body=Talk(utterances=[said]))
assert heard.turns == 1, heard
answer = ask.sync("garden", client=client, body=Asked(question="Where is the spare key?"))
assert "fern" in answer.answer and answer.citations[0].speaker == "Ana", answer
assert [line.text for line in transcript.sync("garden", client=client)] == [said.text]
assert "garden" in [session.name for session in list_.sync(client=client)]
print("ok")
