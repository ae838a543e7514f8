// Start of the server's page.

import { render } from "preact";
import { adopt, lookWho } from "./api/session";
import { App } from "./shell/app";

const host = document.getElementById("app");
if (host) {
  void adopt().then(() => {
    render(<App />, host);
    void lookWho();
  });
}
