// Shrinks photos, because photos of phones are far larger than needed.

async function shrink(file, side = 1600) {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size < 1 << 20) return file;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
  return blob && blob.size < file.size ? new File([blob], "photo.jpg", { type: "image/jpeg" }) : file;
}

/** Resolves with the photo with at most 1600 pixels per side, or the original if shrinking fails or does not make it smaller. */
export const smaller = (file) => shrink(file).catch(() => file);

// Some browsers cannot decode these, or do not know their type.
const isForServer = (file) => /\/(hei[cf]|avif)$/.test(file.type) || /\.(hei[cf]|avif)$/i.test(file.name);

/** Like `smaller`, but resolves with `undefined` for a file that neither the browser nor the server can decode. */
export const smallerPhoto = (file) => shrink(file).catch(() => (isForServer(file) ? file : undefined));
