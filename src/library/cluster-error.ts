import type { Failure } from '../api/call.ts'
import type { Status } from '../api/objects/meta.ts'

/** A rejected call, as an error with the server's Status. `code` and `body` are those of the JavaScript client's errors. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
  readonly status: Failure['status']

  constructor(status: Failure['status']) {
    super(status.message ?? status.reason ?? 'the call was rejected')
    this.status = status
  }

  get code(): number {
    return this.status.code ?? 500
  }

  get reason(): string | undefined {
    return this.status.reason
  }

  get body(): Status {
    return this.status
  }

  get headers(): Readonly<Record<string, string>> {
    return {}
  }
}
