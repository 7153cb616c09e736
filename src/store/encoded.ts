import type { KubeObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import { Recent } from '../base/recent.ts'
import { layoutOf } from './stamp.ts'

const recent = new Recent<KubeObject, string>(256)
/** Longer objects are rare, and not worth the memory. */
const maxRememberedLength = 16 * 1024
/** The last such object. The disk, the response and every watcher need its text within one or two turns. */
const lastLong = new Recent<KubeObject, string>(1)

/**
 * A stored object as JSON. The disk, the response to the writer and every watcher use the same text, so it is encoded
 * once.
 */
export function encoded(object: KubeObject): string {
  let text = recent.get(object) ?? lastLong.get(object)
  if (text === undefined) {
    text = encodeSharing(object)
    if (text.length <= maxRememberedLength) recent.set(object, text)
    else lastLong.set(object, text)
  }
  return text
}

type Whole = KubeObject & { readonly spec: unknown; readonly status: unknown }

// Pods of one template share their spec, which is most of their text. Empty: the spec was encoded once.
const recentSpecs = new Recent<object, string>(256)

/** Encodes an object. A spec that was encoded before keeps its text. */
function encodeSharing(object: KubeObject): string {
  const { kind, apiVersion, metadata, spec, status } = object as Whole
  if (typeof spec !== 'object' || spec === null || status === undefined) return encodeJson(object)
  const known = recentSpecs.get(spec)
  if (known === undefined) {
    recentSpecs.set(spec, '')
    return encodeJson(object)
  }
  const layout = layoutOf(object)
  const isWhole = typeof kind === 'string' && typeof apiVersion === 'string' && metadata !== undefined
  if (layout === 'other' || !isWhole) return encodeJson(object)
  const specText = known === '' ? encodeJson(spec) : known
  if (known === '' && specText.length <= maxRememberedLength) recentSpecs.set(spec, specText)
  const [first, second] = [JSON.stringify(kind), JSON.stringify(apiVersion)]
  const type =
    layout === 'kind-first' ? `"kind":${first},"apiVersion":${second}` : `"apiVersion":${second},"kind":${first}`
  return `{${type},"metadata":${encodeJson(metadata)},"spec":${specText},"status":${encodeJson(status)}}`
}
