#!/bin/sh
# Unpacks and configures one of the code bases that the analyser is judged on,
# from its Debian source package: sources.sh PACKAGE DIR. Afterwards DIR/PACKAGE
# is the source tree and DIR/PACKAGE-build holds its compile_commands.json.
# Nothing is built. Wants cmake, and libfreetype-dev libfontconfig-dev
# libjpeg62-turbo-dev libexpat1-dev zlib1g-dev for the headers.
set -eu
package=$1
deb_source=$(realpath "$(dirname "$0")/../../scripts/deb-source")
mkdir -p "$2"
cd "$2"
dir=$PWD

case $package in
exiv2) unpacked=exiv2-0.27.6
  set -- -DEXIV2_BUILD_SAMPLES=OFF -DEXIV2_BUILD_UNIT_TESTS=OFF ;;
poppler) unpacked=poppler-22.12.0
  set -- -DENABLE_UNSTABLE_API_ABI_HEADERS=ON -DENABLE_QT5=OFF -DENABLE_QT6=OFF -DENABLE_GLIB=OFF \
    -DENABLE_UTILS=OFF -DENABLE_CPP=OFF -DBUILD_GTK_TESTS=OFF -DBUILD_QT5_TESTS=OFF -DBUILD_QT6_TESTS=OFF \
    -DBUILD_CPP_TESTS=OFF -DENABLE_LIBOPENJPEG=none -DENABLE_CMS=none -DENABLE_LIBCURL=OFF -DENABLE_NSS3=OFF \
    -DENABLE_BOOST=OFF -DENABLE_GOBJECT_INTROSPECTION=OFF -DENABLE_LIBTIFF=OFF ;;
openjpeg2) unpacked=openjpeg-2.5.0
  set -- -DBUILD_CODEC=OFF ;;
*) echo "sources.sh: unknown package $package: exiv2, poppler or openjpeg2" >&2; exit 2 ;;
esac

if ! [ -e "$package" ]; then
  source=$("$deb_source" --upstream "$package" "$dir")
  [ "$source" = "$dir/$unpacked" ] || echo "sources.sh: $source is not the version that was judged, $unpacked" >&2
  mv "$source" "$package"
fi
cmake -S "$package" -B "$package-build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" \
  >"$package-configure.log" 2>&1 || { tail -20 "$package-configure.log" >&2; exit 1; }
