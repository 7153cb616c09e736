const stages = ['alpha', 'beta', '']

/** v2 before v1, v1 before v1beta1 before v1alpha1, and names of another kind last (apimachinery, util/version). */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [ranks(a), ranks(b)]
  if (x === undefined || y === undefined) {
    if (x === y) return a < b ? 1 : a > b ? -1 : 0
    return x === undefined ? -1 : 1
  }
  for (let i = 0; i < 3; i++) {
    const difference = (x[i] as number) - (y[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}

function ranks(version: string): readonly number[] | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version)
  if (match === null) return undefined
  const [, major, stage = '', minor = '0'] = match
  return [stages.indexOf(stage), Number(major), Number(minor)]
}
