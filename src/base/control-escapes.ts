/** The letters of backslash escapes for control characters, in CEL as in Go and C. */
export const controlEscapes = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
} as const
