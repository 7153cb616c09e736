import type { Failure } from '../api/call.ts'
import type { Status } from '../api/objects/meta.ts'

/** The error of a rejected call, with the Status of the server. `code` and `body` are as in errors of the JavaScript client. */
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
