import { getHeapStatistics } from 'node:v8'

/** etcd's default quota, or half of the heap limit if that is smaller. */
export const defaultQuotaBytes = (): number =>
  Math.min(2 * 1024 ** 3, Math.floor(getHeapStatistics().heap_size_limit / 2))
