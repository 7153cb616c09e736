/** The version in package.json; a tidy test holds the two together, so that no file is read to know it. */
export const version = '0.1.0'
