// Requests to the server of the console.

export class ApiError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const headers = { 'x-berth-console': '1' }

/** Relative to the page, so that it works under any path prefix. */
const urlOf = (path: string) => `api/${path}`

async function explained(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { readonly message?: string }
  return new ApiError(response.status, body.message ?? `the server returned ${response.status}`)
}

/** The data of a console in a file, which has no server. */
export interface StaticAnswers {
  readonly lines: readonly unknown[]
  readonly answers: Readonly<Record<string, unknown>>
}

let file: StaticAnswers | undefined

export function readFrom(answers: StaticAnswers): void {
  file = answers
}

function fromFile<T>({ answers }: StaticAnswers, path: string): T {
  const [name = ''] = path.split('?')
  if (Object.hasOwn(answers, name)) return answers[name] as T
  throw new ApiError(404, 'this file does not contain it')
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (file !== undefined) return fromFile<T>(file, decodeURIComponent(path))
  const response = await fetch(urlOf(path), { headers, ...(signal === undefined ? {} : { signal }) })
  if (!response.ok) throw await explained(response)
  return (await response.json()) as T
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  if (file !== undefined) throw new ApiError(403, 'a file cannot be changed')
  const response = await fetch(urlOf(path), posting(body))
  if (!response.ok) throw await explained(response)
  return (await response.json()) as T
}

/** The lines of a response as they arrive, each a JSON document. */
export async function* lines<T>(
  path: string,
  how: { readonly body?: unknown; readonly signal: AbortSignal },
): AsyncGenerator<T> {
  if (file !== undefined) {
    yield* file.lines as readonly T[]
    // A file has no further messages.
    await new Promise(() => undefined)
  }
  const request = how.body === undefined ? { headers } : posting(how.body)
  const response = await fetch(urlOf(path), { ...request, signal: how.signal, cache: 'no-store' })
  if (!response.ok) throw await explained(response)
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part !== '') yield JSON.parse(part) as T
  }
}

const posting = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
