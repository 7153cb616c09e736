export type { Cancel, Clock } from './base/clock.ts'
export { createRandom, type Random, type RandomStream } from './base/random.ts'
export { version } from './base/version.ts'
export { VirtualClock } from './base/virtual-clock.ts'
