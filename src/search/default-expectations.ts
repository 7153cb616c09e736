/** The expectations of a search without explicit expectations. */
export const defaultExpectations = {
  workloadsAvailable: true,
  noPodPending: { for: '10m' },
  noPodStuck: { for: '10m' },
  noLoop: true,
  drainedWithin: '30m',
} as const
