declare module 'html-encoding-sniffer' {
  type Options = {
    xml?: boolean;
    transportLayerEncodingLabel?: string;
    /** Returned as it is where nothing names an encoding. */
    defaultEncoding?: string;
  };
  export default function sniffEncoding(bytes: Uint8Array, options?: Options): string;
}
