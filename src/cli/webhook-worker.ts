// A thread that sends requests to webhooks. The build makes this file a separate program.
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import { RealClock } from '../base/real-clock.ts'
import { createWebhookSender } from '../controlplane/ports-webhooks.ts'
import type { WebhookAsk } from '../registry/attempt.ts'

export interface WebhookThread {
  readonly port: MessagePort
  /** Set to 1 when the answer is in the port. */
  readonly answered: Int32Array
}

if (!isMainThread && workerData !== null) {
  const { port, answered } = workerData as WebhookThread
  const send = createWebhookSender(new RealClock())
  port.on('message', async (ask: WebhookAsk) => {
    port.postMessage(await send(ask))
    Atomics.store(answered, 0, 1)
    Atomics.notify(answered, 0)
  })
}
