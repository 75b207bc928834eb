// The tracks of collars and search parties on the map of a listing, and what search parties have searched.

async function load(address) {
  const response = await fetch(address, { headers: { Accept: "application/geo+json" } });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** Draws the tracks and searched parts that a section names, and says how much was searched. */
export async function tracks(L, map, section) {
  const shown = (data, className) => L.geoJSON(data, { interactive: false, pane: "markerPane", style: (feature) => ({ className: `${className} ${feature.properties.kind ?? ""}` }) }).addTo(map);
  try {
    if (section.dataset.searchedArea) {
      const area = await load(section.dataset.searchedArea);
      shown(area, "walked");
      note(section.querySelector("[data-searched-note]"), area.properties.shares);
    }
  } catch {
    // Listings without a search area have no searched parts.
  }
  try {
    if (section.dataset.tracks) shown(await load(section.dataset.tracks), "track");
  } catch {
    // The page lists the tracks without the map.
  }
  section.dataset.drawn = "";
}

function note(place, shares) {
  if (!place || shares.length === 0) return;
  const percent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
  place.textContent = shares.reduce((text, { probability, searched }) => text.replace(`{${Math.round(probability * 100)}}`, percent.format(searched)), place.dataset.searchedNote);
  place.hidden = false;
}
