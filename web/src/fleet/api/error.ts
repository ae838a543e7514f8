// What went wrong with a question: in words for who looks, and whether it may pass by itself.

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0 when there was no answer
    readonly kind: string,
    detail: string,
    readonly help: string,
    readonly retryAfter: number, // seconds, 0 for not
  ) {
    super(detail);
  }
}

// unreachable is of a server that does not answer, or of a network that is not there.
export function unreachable(): ApiError {
  const [detail, help] = navigator.onLine
    ? [`${location.host} does not answer.`, "Is the server still running?"]
    : ["This browser is offline.", ""];
  return new ApiError(0, "unreachable", detail, help, 0);
}

const VERSIONS =
  "A proxy may have answered in its place, or it is of another version than this page: reload the page.";

// WORDLESS is the kind of an error that the server itself said nothing about.
export const WORDLESS = "failed";

// refused words an answer with an error. What the server says itself is best; a proxy's page of
// HTML says nothing to a reader, who is told what such a status stands for.
export async function refused(response: Response): Promise<ApiError> {
  const said = await words(response);
  const { status } = response;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const detail = text(said.detail);
  const [meaning, advice] = MEANINGS.get(status) ?? ["the server failed", "Its log may say why."];
  return new ApiError(
    status,
    text(said.error) || WORDLESS,
    detail || `${meaning} (status ${status})`,
    detail === "" ? advice : forPeople(text(said.help)),
    seconds(response.headers.get("Retry-After")),
  );
}

// forPeople leaves out what helps programs: which path of the API has more.
function forPeople(help: string): string {
  return help.startsWith("/api/") ? "Another time or other filters may have it." : help;
}

interface Words {
  readonly error?: unknown;
  readonly detail?: unknown;
  readonly help?: unknown;
}

async function words(response: Response): Promise<Words> {
  try {
    return ((await response.json()) as Words | null) ?? {};
  } catch {
    return {};
  }
}

const MEANINGS: ReadonlyMap<number, readonly [meaning: string, advice: string]> = new Map([
  [401, ["a token is asked for", ""]],
  [403, ["this may not be asked", "A proxy before the server may have rules of its own."]],
  [404, ["the server does not know this question", VERSIONS]],
  [413, ["the question is too long", "Choose fewer values in the filters."]],
  [414, ["the question is too long", "Choose fewer values in the filters."]],
  [429, ["too many questions in a short time", ""]],
  [431, ["the question is too long", "Choose fewer values in the filters."]],
  [500, ["the server failed", "Its log says why."]],
  [502, ["the server cannot be reached by the proxy before it", ""]],
  [503, ["the server cannot answer at the moment", ""]],
  [504, ["the answer took too long", "Choose a shorter time, or fewer values in the filters."]],
]);

// seconds reads Retry-After, which may be a date as well.
function seconds(header: string | null): number {
  if (header === null) return 0;
  const n = Number(header);
  const wait = Number.isFinite(n) ? n : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

// unreadable is of an answer that came and is not what was asked for.
export function unreadable(why = ""): ApiError {
  const detail = `The server's answer cannot be read${why === "" ? "" : `: ${why}`}.`;
  return new ApiError(0, "unreadable", detail, VERSIONS, 0);
}

export const CANCELLED = new ApiError(0, "cancelled", "Cancelled.", "", 0);

// asApiError is of whatever was thrown while an answer was fetched and read.
export function asApiError(e: unknown): ApiError {
  if (e instanceof ApiError) return e;
  if (e instanceof DOMException && e.name === "AbortError") return CANCELLED;
  if (e instanceof SyntaxError) return unreadable();
  // What a browser throws where a connection breaks off amid an answer.
  if (e instanceof TypeError) {
    return new ApiError(0, "unreachable", "The connection broke off amid the answer.", "", 0);
  }
  return new ApiError(0, "page", e instanceof Error ? e.message : String(e), "", 0);
}

const PASSING = new Set([429, 502, 503]);

// passing says that the same question may be answered in a moment: it is asked again by itself.
export function passing(e: ApiError): boolean {
  return e.kind === "unreachable" || PASSING.has(e.status);
}
