// The frame of every view: what there is to see above, the view below. What the views
// need before they can ask, a session and a store that holds something, is seen to here.

import { useEffect, useErrorBoundary } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { locked } from "../api/client";
import { ApiError } from "../api/error";
import { doubt } from "../api/newer";
import { Waiting } from "../parts/answered";
import { Failure } from "../parts/failure";
import { MenuHost } from "../parts/menu";
import { OverTime } from "../parts/overtime";
import { address } from "../state/navigation";
import { REGISTRY } from "../views/registry";
import { FilterBar } from "./filterbar";
import { useKeptFocus } from "./focus";
import { FirstScreen, useHolding } from "./firstscreen";
import { Help } from "./help";
import { useKeys } from "./keys";
import { Missing } from "./missing";
import { Newer } from "./newer";
import { Navigation } from "./navigation";
import { Progress } from "./progress";
import { SignIn } from "./signin";

const VIEW = "view";

export function App() {
  useKeys();
  useKeptFocus(VIEW);
  const { view } = address.value;
  useEffect(() => {
    document.title = `${REGISTRY.find((v) => v.name === view)?.title ?? "Overview"} · whyhot`;
  }, [view]);
  return (
    <>
      <a class="skip" href={`#${VIEW}`}>
        Skip to the view
      </a>
      <Progress />
      <Navigation />
      <Newer />
      <Missing />
      {locked.value ? <SignIn why={locked.value} /> : <Shown />}
      <Help />
      <OverTime />
      <MenuHost />
    </>
  );
}

function Shown() {
  const holding = useHolding();
  const prices = useAnswer("/api/v1/prices", {});
  const shown = REGISTRY.find((v) => v.name === address.value.view) ?? REGISTRY[0];
  if (holding.error) {
    return (
      <main id={VIEW} tabIndex={-1}>
        <Failure error={holding.error} retry={holding.retry} />
      </main>
    );
  }
  const settings = shown?.name === "settings";
  const timeless = shown?.name === "findings";
  // Prices are in every view: one that came without them would move when they are there.
  if (holding.value === undefined || (prices.value === undefined && prices.busy)) {
    return (
      <>
        {!settings && <FilterBar timeless={timeless} />}
        <main id={VIEW} tabIndex={-1} aria-busy="true">
          <Waiting />
        </main>
      </>
    );
  }
  return (
    <>
      {holding.value && !settings && <FilterBar timeless={timeless} />}
      <main
        key={settings ? "settings" : "samples"}
        id={VIEW}
        tabIndex={-1}
        aria-label={shown?.title}
        class={`view-${shown?.name ?? ""}`}
      >
        {!settings && <h1 class="offscreen">{shown?.title}</h1>}
        {holding.value || settings ? (
          <Guarded key={shown?.name}>{shown && <shown.component />}</Guarded>
        ) : (
          <FirstScreen />
        )}
      </main>
    </>
  );
}

// Guarded shows what broke in a view, and leaves the rest of the page.
function Guarded({ children }: { children: preact.ComponentChildren }) {
  const [broken, again] = useErrorBoundary((e: unknown) => {
    console.error(e);
    doubt();
  }) as [unknown, () => void];
  if (broken === undefined) return <>{children}</>;
  const text = broken instanceof Error ? broken.message : "unknown error";
  return (
    <Failure
      error={new ApiError(0, "page", `The page failed: ${text}`, "Please report it.", 0)}
      retry={again}
    />
  );
}
