import type { Outcome } from '../api/call.ts'
import { failure } from '../api/status.ts'
import type { ReadAction } from './actions.ts'
import type { View } from './view.ts'

/** The outcome of a read, as the API server would answer a get. */
export function answerRead(view: View, { resource, key }: ReadAction): Outcome {
  const object = view.get(resource, key)
  return object === undefined
    ? failure('NotFound', `${resource} ${JSON.stringify(key)} not found`)
    : { ok: true, kind: 'object', object }
}
