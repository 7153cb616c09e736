import { setImmediate } from 'node:timers/promises'

/** Resolves after the event loop has handled pending events. */
export const nextTurn = (): Promise<void> => setImmediate()
