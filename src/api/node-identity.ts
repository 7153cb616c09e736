const prefix = 'system:node:'

/**
 * The name of the node whose kubelet the user is: `system:node:NAME` in the group system:nodes. '' for a node without a
 * name, undefined for other users (v1.36, pkg/auth/nodeidentifier).
 */
export function nodeNameOfUser(user: {
  readonly name: string
  readonly groups: readonly string[]
}): string | undefined {
  if (!user.name.startsWith(prefix) || !user.groups.includes('system:nodes')) return undefined
  return user.name.slice(prefix.length)
}
