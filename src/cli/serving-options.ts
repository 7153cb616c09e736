import type { ApiProcessOptions } from '../controlplane/api-process.ts'
import { integer } from './command.ts'
import { duration } from './durations.ts'

/** The limits of the API server. Their names are those of kube-apiserver's flags. */
export const servingOptions = {
  maxRequestsInflight: integer({
    summary: 'Maximum number of non-mutating requests in flight, 0 for no limit',
    default: 400,
    min: 0,
  }),
  maxMutatingRequestsInflight: integer({
    summary: 'Maximum number of mutating requests in flight, 0 for no limit',
    default: 200,
    min: 0,
  }),
  requestTimeout: duration('Maximum time for a client to send a request, and to read the response', 60_000),
  minRequestTimeout: integer({
    summary: 'Seconds after which the server ends a watch that requested no timeout',
    default: 1800,
    min: 1,
  }),
} as const

export interface ServingValues {
  readonly maxRequestsInflight: number
  readonly maxMutatingRequestsInflight: number
  readonly requestTimeout: number
  readonly minRequestTimeout: number
}

export function servingLimits(values: ServingValues): Pick<ApiProcessOptions, 'limits' | 'minRequestTimeoutMs'> {
  return {
    limits: {
      readsInFlight: values.maxRequestsInflight,
      writesInFlight: values.maxMutatingRequestsInflight,
      requestTimeoutMs: values.requestTimeout,
      // As in upstream, a request waits for at most a quarter of its timeout.
      queueWaitMs: values.requestTimeout / 4,
    },
    minRequestTimeoutMs: values.minRequestTimeout * 1000,
  }
}
