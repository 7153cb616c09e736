// Writes until it is killed or a write fails, and prints the changes that watchers saw and the acknowledged writes.
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { openStore } from '../../src/store/journal/open-store.ts'
import { stateOf, transactionAfter } from './workload.ts'

const say = (line: string) => writeSync(1, `${line}\n`)

// With such a short log, entries are moved constantly, so that kills happen during a move.
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
  // Sometimes alone in its group, sometimes with others, sometimes in a separate turn while another group is being written.
  if (round % 5 === 0) await acknowledged
  else if (round % 3 === 0) await setImmediate()
}
say(`failed ${failed?.message}`)
const late = store.commit(transactionAfter(store.revision, stateOf(store)))
say(`refused ${late.ok ? 'nothing' : `${late.refusal.kind} ${late.refusal.message}`}`)
await store.close()
say('closed')
