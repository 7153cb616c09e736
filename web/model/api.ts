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

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(urlOf(path), { headers, ...(signal === undefined ? {} : { signal }) })
  if (!response.ok) throw await explained(response)
  return (await response.json()) as T
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(urlOf(path), posting(body))
  if (!response.ok) throw await explained(response)
  return (await response.json()) as T
}

/** The lines of a response as they arrive, each a JSON document. */
export async function* lines<T>(
  path: string,
  how: { readonly body?: unknown; readonly signal: AbortSignal },
): AsyncGenerator<T> {
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
