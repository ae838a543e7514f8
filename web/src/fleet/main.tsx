// Start of the server's page.

import { render } from "preact";
import { App } from "./shell/app";

const host = document.getElementById("app");
if (host) render(<App />, host);
