// Said once the server has another page than the one that is open. All that the page shows is in
// its address: nothing is lost.

import { newer } from "../api/newer";

export function Newer() {
  if (!newer.value) return null;
  return (
    <div class="banner calm newer" role="status">
      <span>The server was updated, and has a newer page.</span>
      <button
        type="button"
        onClick={() => {
          location.reload();
        }}
      >
        Reload
      </button>
    </div>
  );
}
