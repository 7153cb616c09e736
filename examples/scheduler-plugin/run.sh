cd "$(dirname "$0")"
node show.mjs
