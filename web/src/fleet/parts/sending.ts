// The commands that send profiles to this server.

import { session } from "../api/session";
import { address } from "../state/navigation";

const GRPC = 4317; // the server's usual port for agents

// closed says that the server wants a token, which the commands take from the file TOKEN.
export function closed(): boolean {
  return session.value.closed;
}

export function agentCommand(): string {
  return `sudo whyhot agent --to ${location.hostname}:${GRPC}${closed() ? " --token-file TOKEN" : ""}`;
}

// recordCommand records one program, and sends that.
export function recordCommand(service: string, flags = ""): string {
  const { project } = address.value;
  const to = project === "" || closed() ? "" : `&project=${encodeURIComponent(project)}`;
  const by = closed() ? ' -H "Authorization: Bearer $(cat TOKEN)"' : "";
  return (
    `whyhot record ${flags === "" ? "" : `${flags} `}-o cpu.pb.gz -- ./program && ` +
    `curl${by} --data-binary @cpu.pb.gz "${location.origin}/api/v1/push?service=${encodeURIComponent(service)}${to}"`
  );
}
