import type { Failure, WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import { finishCall, type Registry } from '../registry/contract.ts'
import type { Kind } from '../registry/kinds/kind.ts'

/** The kind without conversion: objects are shown as stored. */
export function unconverted(kind: Kind): Kind {
  const { fromStorage: _, ...rest } = kind
  return rest
}

/** Events of a kind with a conversion webhook, in the version that the client asked for. */
export async function convertEvents(
  registry: Registry,
  kind: Kind,
  events: readonly WatchEvent[],
  send: (ask: WebhookAsk) => Promise<WebhookAnswer>,
): Promise<readonly WatchEvent[]> {
  const objects = events.flatMap((event) => ('object' in event ? [event.object] : []))
  const made = await finishCall<readonly KubeObject[] | Failure>(registry.convert(kind, objects), send)
  if ('ok' in made) return [{ type: 'ERROR', status: made.status }]
  let next = 0
  return events.map((event) => ('object' in event ? { ...event, object: made[next++] as KubeObject } : event))
}
