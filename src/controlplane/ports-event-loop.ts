import { setImmediate } from 'node:timers/promises'

/** Resolves when the event loop has handled what arrived meanwhile. */
export const nextTurn = (): Promise<void> => setImmediate()
