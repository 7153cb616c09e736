const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`
const pathPart = '[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*'
const path = `${pathPart}(?:/${pathPart})*`
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const reference = new RegExp(`^(?:${domain}/)?${path}(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`)
const identifier = /^[a-f0-9]{64}$/

/**
 * The tag of an image reference: `latest` if it has neither tag nor digest, empty if the reference is invalid
 * (distribution's reference.ParseNormalizedNamed, called through util/parsers).
 */
export function imageTag(image: string): string {
  if (identifier.test(image)) return ''
  const match = reference.exec(image)
  if (match === null || repositoryLength(image, match[1], match[2]) > 255) return ''
  const [, tag, hash] = match
  return tag ?? (hash === undefined ? 'latest' : '')
}

/** The name within its registry; a bare name is in `library`. */
function repositoryLength(image: string, tag: string | undefined, hash: string | undefined): number {
  const name = image.length - (tag === undefined ? 0 : tag.length + 1) - (hash === undefined ? 0 : hash.length + 1)
  const slash = image.indexOf('/')
  if (slash < 0) return name + 'library/'.length
  const first = image.slice(0, slash)
  return /[.:A-Z]/.test(first) || first === 'localhost' ? name - slash - 1 : name
}
