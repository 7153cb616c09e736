import type { Failure } from '../../api/call.ts'
import type { JsonObject, KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { plainError } from '../../api/status.ts'
import type { AnsweredWebhook, WriteAttempt } from '../attempt.ts'
import { targetOf, type WebhookClientConfig, type WebhookServices } from '../dynamic/webhook-target.ts'
import type { Kind } from '../kinds/kind.ts'

/** spec.conversion.webhook of a definition. */
export interface ConversionWebhook {
  /** The name of the definition. */
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly reviewVersions: readonly string[]
}

/** Thrown to end a request: an object could not be converted. */
export class ConversionFailed extends Error {
  override readonly name = 'ConversionFailed'
  readonly failure: Failure
  constructor(message: string) {
    super(message)
    this.failure = plainError(message)
  }
}

// The conversions of a stored object, by version. The definition is part of the key, so that a changed definition
// causes new conversions.
const converted = new WeakMap<ConversionWebhook, WeakMap<KubeObject, Map<string, KubeObject>>>()

const timeoutMs = 30_000

/**
 * The kind of a custom resource with objects converted by a webhook, for one request. Objects that have the wanted version
 * are not sent. Conversions of stored objects are kept, as the watch cache of kube-apiserver keeps them.
 */
export function withConversion(kind: Kind, attempt: WriteAttempt, services: WebhookServices): Kind {
  const webhook = kind.custom?.conversion
  if (webhook === undefined || kind.custom === undefined) return kind
  const convert = (object: KubeObject, apiVersion: string): KubeObject =>
    object.apiVersion === apiVersion
      ? object
      : (convertAll(webhook, [object], apiVersion, attempt, services)[0] as KubeObject)
  const { fromStorage, toStorage } = kind
  const stored = `${kind.group}/${kind.custom.storageVersion}`
  let written: KubeObject | undefined
  return {
    ...kind,
    fromStorage: (object) => {
      // A written object is shown as it was sent, because no webhook may be asked after the commit.
      if (written !== undefined && written.metadata.uid === object.metadata.uid) {
        return remember(webhook, object, { ...written, metadata: object.metadata })
      }
      const shown = known(webhook, object, kind.apiVersion)
      const made = shown ?? remember(webhook, object, convert(object, kind.apiVersion))
      return fromStorage === undefined ? made : fromStorage(made)
    },
    toStorage: (object) => {
      const kept = convert(object, stored)
      written = object
      return kept === object && toStorage !== undefined ? toStorage(object) : kept
    },
  }
}

/** Converts the stored objects of a list in one request. */
export function convertStored(
  kind: Kind,
  objects: readonly KubeObject[],
  attempt: WriteAttempt,
  services: WebhookServices,
): void {
  const webhook = kind.custom?.conversion
  if (webhook === undefined) return
  const waiting = objects.filter(
    (object) => object.apiVersion !== kind.apiVersion && known(webhook, object, kind.apiVersion) === undefined,
  )
  if (waiting.length === 0) return
  const made = convertAll(webhook, waiting, kind.apiVersion, attempt, services)
  waiting.forEach((object, i) => {
    remember(webhook, object, made[i] as KubeObject)
  })
}

function known(webhook: ConversionWebhook, object: KubeObject, apiVersion: string): KubeObject | undefined {
  return converted.get(webhook)?.get(object)?.get(apiVersion)
}

function remember(webhook: ConversionWebhook, object: KubeObject, made: KubeObject): KubeObject {
  if (made === object) return made
  const byObject = converted.get(webhook) ?? new WeakMap<KubeObject, Map<string, KubeObject>>()
  converted.set(webhook, byObject)
  const byVersion = byObject.get(object) ?? new Map<string, KubeObject>()
  byObject.set(object, byVersion)
  byVersion.set(made.apiVersion ?? '', made)
  return made
}

function convertAll(
  webhook: ConversionWebhook,
  objects: readonly KubeObject[],
  apiVersion: string,
  attempt: WriteAttempt,
  services: WebhookServices,
): readonly KubeObject[] {
  const [first] = objects
  const shown = `conversion webhook for ${first?.apiVersion ?? ''}, Kind=${first?.kind ?? ''}`
  const version = webhook.reviewVersions.find((one) => one === 'v1' || one === 'v1beta1')
  if (version === undefined) throw new ConversionFailed('no supported conversion review versions')
  const target = targetOf(webhook.clientConfig, services)
  if (typeof target === 'string') {
    throw new ConversionFailed(`${shown} failed: ${target.replace(/^failed to call webhook: /, '')}`)
  }
  const reviewVersion = `apiextensions.k8s.io/${version}`
  const [answered] = attempt.ask([
    {
      purpose: 'convert',
      webhook: webhook.name,
      configuration: webhook.name,
      failurePolicy: 'Fail',
      target,
      timeoutMs,
      review: {
        kind: 'ConversionReview',
        apiVersion: reviewVersion,
        request: { desiredAPIVersion: apiVersion, objects: objects as unknown as readonly JsonObject[] },
      } as unknown as JsonObject,
    },
  ])
  const found = readConverted(answered as AnsweredWebhook, reviewVersion)
  if (typeof found === 'string') throw new ConversionFailed(`${shown} failed: ${found}`)
  if (found.length !== objects.length) {
    throw new ConversionFailed(`${shown} returned ${found.length} objects, expected ${objects.length}`)
  }
  return objects.map((object, i) => restored(object, found[i], apiVersion, shown))
}

const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a response, or why there are none (conversion, getConvertedObjectsFromResponse). */
function readConverted({ uid, answer }: AnsweredWebhook, reviewVersion: string): readonly unknown[] | string {
  if (answer.kind === 'failed') return answer.message
  const body = isMap(answer.body) ? answer.body : {}
  const { response, kind, apiVersion } = body
  if (reviewVersion.endsWith('/v1') && (kind !== 'ConversionReview' || apiVersion !== reviewVersion)) {
    return `expected webhook response of ${reviewVersion}, Kind=ConversionReview, got ${String(apiVersion ?? '')}, Kind=${String(kind ?? '')}`
  }
  if (!isMap(response)) return 'no response provided'
  const given = String(response['uid'] ?? '')
  if (reviewVersion.endsWith('/v1') && given !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`
  }
  const result = isMap(response['result']) ? response['result'] : {}
  if (result['status'] !== 'Success') {
    const message = String(result['message'] ?? '')
    return message === '' ? `response.result.status was '${String(result['status'] ?? '')}', not 'Success'` : message
  }
  const objects = response['convertedObjects']
  return Array.isArray(objects) ? objects : []
}

/** A converted object with the metadata of the original; only labels and annotations come from the webhook. */
function restored(original: KubeObject, made: unknown, apiVersion: string, shown: string): KubeObject {
  const fail = (why: string) => new ConversionFailed(`${shown} returned invalid ${why}`)
  if (!isMap(made)) throw fail('object at index 0: not an object')
  const object = made as unknown as KubeObject
  if (object.apiVersion !== apiVersion) {
    const got = object.apiVersion ?? ''
    throw fail(`object at index 0: invalid groupVersion (expected ${apiVersion}, received ${got})`)
  }
  if (object.kind !== original.kind) {
    throw fail(`object at index 0: invalid kind (expected ${original.kind}, received ${object.kind ?? ''})`)
  }
  if (!isMap(object.metadata)) throw fail('metadata: missing metadata in converted object')
  const metadata: Partial<ObjectMeta> = object.metadata
  for (const [field, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[field] ?? '', metadata[field] ?? '']
    if (before !== after) throw fail(`object: must have the same ${label}: ${before} != ${after}`)
  }
  const { labels: _, annotations: __, ...kept } = original.metadata
  return {
    ...object,
    metadata: {
      ...kept,
      ...(metadata.labels === undefined || metadata.labels === null ? {} : { labels: metadata.labels }),
      ...(metadata.annotations === undefined || metadata.annotations === null
        ? {}
        : { annotations: metadata.annotations }),
    },
  }
}
