let isInstalled = false

/**
 * When a transaction fails, lmdb rejects an internal promise that no caller can handle, besides those that it returns.
 * Node would end the process because of that. All other unhandled rejections end the process as before.
 */
export function ignoreInnerRejections(): void {
  if (isInstalled) return
  isInstalled = true
  process.on('unhandledRejection', (reason) => {
    if (isInnerRejection(reason)) return
    throw reason
  })
}

function isInnerRejection(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason && reason.message.startsWith('Commit failed')
}
