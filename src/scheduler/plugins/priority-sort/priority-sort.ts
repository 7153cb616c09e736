import { definePlugin } from '../../contract/contract.ts'

/** Sorts by priority, then by queue time. */
export const prioritySort = definePlugin({
  name: 'PrioritySort',
  queueSort(a, b) {
    if (a.parsed.priority !== b.parsed.priority) return a.parsed.priority > b.parsed.priority
    return a.queuedAt < b.queuedAt
  },
})
