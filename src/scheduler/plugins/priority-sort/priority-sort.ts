import { definePlugin } from '../../contract/contract.ts'

/** Higher priority first; among equals whoever was queued first. */
export const prioritySort = definePlugin({
  name: 'PrioritySort',
  queueSort(a, b) {
    if (a.parsed.priority !== b.parsed.priority) return a.parsed.priority > b.parsed.priority
    return a.queuedAt < b.queuedAt
  },
})
