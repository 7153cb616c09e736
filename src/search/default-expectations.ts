/** The expectations of a search that names none. */
export const defaultExpectations = {
  workloadsAvailable: true,
  noPodPending: { for: '10m' },
  noPodStuck: { for: '10m' },
  noLoop: true,
  drainedWithin: '30m',
} as const
