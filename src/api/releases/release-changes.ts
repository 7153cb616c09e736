/**
 * Behavior that upstream changed without a feature gate, with the first version that has it. Where the change was
 * backported, the patch of the oldest minor that has it counts only for that minor: see `since`.
 */
export type ReleaseChange = 'TaintMessageWithoutKey'

interface Change {
  /** The first version with the change, one per minor that got it in a patch. Later minors have it. */
  readonly since: readonly string[]
  readonly what: string
}

export const releaseChanges: Readonly<Record<ReleaseChange, Change>> = {
  TaintMessageWithoutKey: {
    since: ['1.34.2'],
    what: 'FailedScheduling does not name the untolerated taint (kubernetes/kubernetes#134740)',
  },
}

/** The changes that a version has. */
export function changesOf(version: string): ReadonlySet<ReleaseChange> {
  const names = Object.keys(releaseChanges) as ReleaseChange[]
  return new Set(names.filter((name) => releaseChanges[name].since.some((since) => includes(since, version))))
}

/** A patch release has the changes of its own minor; a minor has those of all minors before it. */
function includes(since: string, version: string): boolean {
  const [sinceMinor, sincePatch] = minorAndPatch(since)
  const [minor, patch] = minorAndPatch(version)
  return minor > sinceMinor || (minor === sinceMinor && patch >= sincePatch)
}

function minorAndPatch(version: string): readonly [number, number] {
  const [, minor, patch] = version.split('.')
  return [Number(minor), Number(patch)]
}
