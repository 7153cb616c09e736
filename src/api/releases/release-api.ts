/** The API of a minor release. */
export interface ReleaseApi {
  /** The group of the API that the tables of this minor describe, for example v1.36. */
  readonly minor: string
}
