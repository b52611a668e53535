/** Returns a text's SHA-256 in hexadecimal. The runtime provides it. */
export type Sha256 = (text: string) => string;
