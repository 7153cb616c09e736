// Writes until it is killed or a write fails; prints what was shown to watchers and what was acknowledged.
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { openStore } from '../../src/store/journal/open-store.ts'
import { stateOf, transactionAfter } from './workload.ts'

const say = (line: string) => writeSync(1, `${line}\n`)

// With such a short log, entries are moved all the time, so that the process is killed in the middle of it.
const store = await openStore({ dir: process.argv[2] as string, maxWaitingWrites: 2000, maxLogBytes: 50_000 })
say('open')
store.watch((changes) => say(`shown ${changes.at(-1)?.revision}`))
let failed: Error | undefined
const acknowledge = async (revision: number) => {
  try {
    await store.durable(revision)
    say(`acknowledged ${revision}`)
  } catch (error) {
    failed ??= error as Error
  }
}
for (let round = 0; failed === undefined; round++) {
  const result = store.commit(transactionAfter(store.revision, stateOf(store)))
  if (!result.ok) break
  const acknowledged = acknowledge(store.revision)
  // Now alone in its group, now with a few others, now in a separate turn while another is being written.
  if (round % 5 === 0) await acknowledged
  else if (round % 3 === 0) await setImmediate()
}
say(`failed ${failed?.message}`)
const late = store.commit(transactionAfter(store.revision, stateOf(store)))
say(`refused ${late.ok ? 'nothing' : `${late.refusal.kind} ${late.refusal.message}`}`)
await store.close()
say('closed')
