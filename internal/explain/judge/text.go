package judge

import "strconv"

// Times writes how often something was done: 1,204,000.
func Times(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
