// Changes that the settings send, and what the server says to them.

import { useState } from "preact/hooks";
import { request } from "../../api/client";
import { asApiError, type ApiError } from "../../api/error";
import { questionOf } from "../../api/answer";
import type { Parameters } from "../../state/address";

export interface Sending {
  readonly busy: boolean;
  readonly error: ApiError | null;
  readonly send: <T>(path: string, parameters: Parameters, body?: unknown) => Promise<T | null>;
}

// useSending gives null where the server refuses; the error says why.
export function useSending(): Sending {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const send = async <T>(
    path: string,
    parameters: Parameters,
    body?: unknown,
  ): Promise<T | null> => {
    setBusy(true);
    setError(null);
    try {
      const init: RequestInit =
        body === undefined
          ? { method: "POST" }
          : {
              method: "POST",
              body: JSON.stringify(body),
              headers: { "Content-Type": "application/json" },
            };
      const response = await request(questionOf(path, parameters), init);
      return (await response.json()) as T;
    } catch (e) {
      setError(asApiError(e));
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, send };
}
