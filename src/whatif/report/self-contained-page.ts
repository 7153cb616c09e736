import { encodeJson } from '../../base/exact-json.ts'

/** The browser code of the page, which the build makes from the components of the console. */
export interface PageCode {
  readonly script: string
  readonly style: string
}

interface PageContent {
  /** HTML, as `body`. It is shown until the script runs. */
  readonly title: string
  readonly body: string
  /** The input of the script, from an element with this id. */
  readonly data: { readonly id: string; readonly value: object }
  readonly code: PageCode
}

/** One HTML file with script, style and data. It opens from disk and needs no network. */
export function selfContainedPage({ title, body, data, code }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${title} · berth</title>
<style>${code.style.replaceAll('</style', '<\\/style')}</style>
</head>
<body>
<div id="app">${body}</div>
<script type="application/json" id="${data.id}">${embedded(data.value)}</script>
<script>${code.script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`
}

/** JSON that is safe inside a script element. */
function embedded(data: object): string {
  return encodeJson(data).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
