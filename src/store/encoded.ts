import type { KubeObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import { Recent } from '../base/recent.ts'

const recent = new Recent<KubeObject, string>(256)
/** Longer objects are rare, and not worth the memory. */
const maxRememberedLength = 16 * 1024

/**
 * A stored object as JSON. The disk, the response to the writer and every watcher use the same text, so it is encoded
 * once.
 */
export function encoded(object: KubeObject): string {
  let text = recent.get(object)
  if (text === undefined) {
    text = encodeJson(object)
    if (text.length <= maxRememberedLength) recent.set(object, text)
  }
  return text
}
