// The bar on top: the views, the project, how the page looks.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { locked } from "../api/client";
import { session, signOut } from "../api/session";
import { plainly } from "../parts/go";
import { HOME, UNFILTERED } from "../state/address";
import { address, go, linkTo } from "../state/navigation";
import { switchTheme, theme } from "../state/theme";
import { REGISTRY } from "../views/registry";
import { openHelp } from "./help";

export function Navigation() {
  const { view, fn } = address.value;
  const shown = REGISTRY.find((v) => v.name === view) ?? REGISTRY[0];
  const views = useRef<HTMLElement>(null);
  // Where there is no room for all of them, the one in front is in sight.
  useLayoutEffect(() => {
    views.current
      ?.querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view]);
  return (
    <header class="masthead">
      <a
        class="brand"
        href={linkTo({ ...HOME, theme: address.value.theme, project: address.value.project })}
        title="The overview of the last hour, without filters"
      >
        whyhot
      </a>
      <nav ref={views} class="views" aria-label="Views">
        {REGISTRY.filter((v) => v.about === undefined || fn !== 0 || v === shown).map((v) => (
          <a
            key={v.name}
            href={linkTo({ view: v.name })}
            aria-current={v === shown ? "page" : undefined}
            aria-keyshortcuts={v.key}
            title={v.key === undefined ? undefined : `${v.title} (key ${v.key})`}
            onClick={plainly(() => ({ view: v.name }))}
          >
            {v.title}
          </a>
        ))}
      </nav>
      <div class="tools" role="group" aria-label="Page">
        {!locked.value && <Projects />}
        {!locked.value && <Who />}
        <button
          type="button"
          title="Dark or light (t)"
          aria-label={`Switch to the ${theme.value === "dark" ? "light" : "dark"} theme`}
          onClick={switchTheme}
        >
          ◐
        </button>
        <button type="button" title="Keys (?)" aria-label="Keys" onClick={openHelp}>
          ?
        </button>
      </div>
    </header>
  );
}

// Who is signed in, where people do. A token has its place in the settings.
function Who() {
  const { by, name, email } = session.value;
  if (by !== "person") return null;
  return (
    <>
      <span class="who" title={email === name ? undefined : email}>
        {name}
      </span>
      <button
        type="button"
        onClick={() => {
          void signOut();
        }}
      >
        Sign out
      </button>
    </>
  );
}

// Projects are only worth a choice where there are several.
function Projects() {
  const { value } = useAnswer("/api/v1/projects", {});
  const names = (value?.projects ?? []).map((p) => p.name);
  const { project } = address.value;
  if (names.length < 2 && (project === "" || names.includes(project))) return null;
  const shown = project === "" ? (value?.default ?? "default") : project;
  return (
    <label class="project">
      <span class="offscreen">Project</span>
      <select
        value={shown}
        title="Project"
        onChange={(e) => {
          go({ ...UNFILTERED, project: e.currentTarget.value, fn: 0, own: {} });
        }}
      >
        {[...new Set([...names, shown])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
