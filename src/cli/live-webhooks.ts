// Calls webhooks from virtual time, which cannot wait: a second thread sends the request while this thread is blocked.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import { wrongQuestion } from './command.ts'
import type { WebhookThread } from './webhook-worker.ts'

/** Time for the thread itself, in addition to the timeout of the webhook. */
const startMs = 10_000

/** The thread starts with the first question, and ends with the process. */
export function askLive(): (ask: WebhookAsk) => WebhookAnswer {
  let ask: ((ask: WebhookAsk) => WebhookAnswer) | undefined
  return (question) => {
    ask ??= startThread()
    return ask(question)
  }
}

function startThread(): (ask: WebhookAsk) => WebhookAnswer {
  const file = workerFile()
  if (file === undefined) throw wrongQuestion('--live-webhooks needs a build: npm run build')
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const workerData: WebhookThread = { port: port2, answered }
  const worker = new Worker(file, { workerData, transferList: [port2] })
  worker.unref()
  port1.unref()
  return (ask) => {
    Atomics.store(answered, 0, 0)
    port1.postMessage(ask)
    Atomics.wait(answered, 0, 0, ask.timeoutMs + startMs)
    const received = receiveMessageOnPort(port1) as { readonly message: WebhookAnswer } | undefined
    return received?.message ?? { kind: 'failed', message: `Post ${JSON.stringify(ask.target.url)}: no answer` }
  }
}

/** The program that the build creates from webhook-worker.ts. */
function workerFile(): string | undefined {
  const files = ['./webhook-worker.js', '../webhook-worker.js', '../../dist/webhook-worker.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  return files.find((file) => existsSync(file))
}
