import type { WatchRequest } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { done, failed, type Result } from '../base/result.ts'

/** Whether an object is among those a request is about. */
export type Selection = (object: KubeObject) => boolean

export function compileSelection(
  request: Pick<WatchRequest, 'resource' | 'namespace' | 'labelSelector' | 'fieldSelector'>,
): Result<Selection> {
  const { namespace, labelSelector, fieldSelector } = request
  if (labelSelector || fieldSelector) return failed('selectors on watches are not supported')
  return done((object) => namespace === undefined || namespace === '' || object.metadata.namespace === namespace)
}
