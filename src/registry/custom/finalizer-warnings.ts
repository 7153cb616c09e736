import { labelKeyProblems } from '../../api/label-syntax.ts'

const standard = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/**
 * Finalizers of custom resources may have any name; some cause a warning (customresource, validateKubeFinalizerName).
 */
export function finalizerWarnings(finalizers: readonly string[], before: readonly string[]): readonly string[] {
  const added = [...new Set(finalizers)].filter((name) => !before.includes(name)).sort()
  return added.flatMap((name) => {
    const told = (why: string): string => `metadata.finalizers: ${JSON.stringify(name)}: ${why}`
    const problems = labelKeyProblems(name).map(told)
    if (name.includes('/') || standard.has(name)) return problems
    const path = name.includes('.') ? ' including a path (/)' : ''
    return [
      ...problems,
      told(
        `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
      ),
    ]
  })
}
